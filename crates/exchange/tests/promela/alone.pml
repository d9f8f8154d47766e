/* A rendezvous is done by its sender: `else` may be taken beside a receive, and inside `atomic` a receive is not waited for. */
chan a = [0] of { byte };
byte g;

active proctype receiver()
{	byte v;

	if
	:: a?v -> v = 9
	:: else -> v = 5
	fi;
	atomic {
		g = 1;
		if
		:: a?v -> g = v
		:: g == 1 -> g = 2
		fi;
		g = g + v
	};
	atomic { a?v; g = v }
}

active proctype sender()
{
	do
	:: a!7
	:: g > 3 -> break
	od
}
