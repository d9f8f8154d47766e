byte x, l;
active proctype P() {
	if
	:: l == 0 -> l = 3
	:: if :: l == 2 -> x = 1 :: else -> x = 2 fi
	fi;
	l = 0;
	do
	:: l < 5 -> l++
	:: do :: l < 2 -> l++; x = 1 :: else -> x = 2; break od; x = x + 3; break
	:: l == 4 -> skip; break
	od;
	if :: l == 9 -> skip :: if :: l == 8 -> x = 7 :: else -> x = 8 fi fi
}
active proctype Q() {
	byte k;
	if
	:: if :: k == 2 -> k = 1 :: else -> k = 2 fi
	:: k == 0 -> k = 3
	fi;
	do
	:: if :: k < 2 -> k = 7 :: else -> k = 4 fi; break
	:: atomic { skip }; skip
	:: k > 2 -> k = 0
	od
}
