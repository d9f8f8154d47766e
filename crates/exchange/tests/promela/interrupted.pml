/* A receive behind `unless` does not keep the main code from going on, and an option may begin with `unless`. */
chan a = [0] of { byte };
byte g;

active proctype P()
{	byte v;

	{ g = 1; g = 2; g = 3 } unless { a?v -> g = v };
	do
	:: { g = 4; g = 5 } unless { g == 9 }; g = 6
	:: g == 6 -> break
	od
}

active proctype Q()
{
	if
	:: a!7
	:: skip
	fi;
	do
	:: g == 5 -> g = 9
	:: g == 6 -> break
	od
}
