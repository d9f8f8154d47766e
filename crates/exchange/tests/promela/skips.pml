byte x;
active proctype P() {
	if
	:: true -> skip; x = 1
	:: printf("a"); skip; skip; x = 2
	:: skip; printf("b"); skip; L: skip; x = 3
	fi;
	skip; skip;
	do
	:: x < 9 -> x = x + 3; skip; skip; skip
	:: skip; { skip; skip; x = 0 }; skip; skip; x = 9; break
	:: else -> for (x : 20 .. 22) { skip; skip }; break
	od;
	if :: skip; skip fi
}
