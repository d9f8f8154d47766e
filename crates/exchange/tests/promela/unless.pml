/* Escapes, `else`, priorities among escapes, `provided`. */
byte x, y;
chan c = [1] of { byte };

active proctype A() provided (y < 3) {
	{ do :: x < 4 -> x++ :: x > 2 -> x = 0; c!1 od } unless { c?1 -> y++ };
	{ { x = 5; x = 6 } unless { y == 2 } ; x = 7 } unless { x == 6 }
}

active proctype B() {
	if :: y > 0 -> y++ :: else -> y = 2 fi;
	if :: x == 9 -> skip :: x == 8 -> skip :: else -> y = 1 fi
}
