/* A label at the end of a sequence marks a skip, and a macro may be called in an argument of its own call. */
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define TWICE(x) x; x
byte n, m;

active proctype W()
{
	do
	:: n < 2 -> n++; K:
	:: n == 2 -> atomic { n = 3; J: }
	:: n == 3 -> break
	od;
	if
	:: n == 3 -> L:
	fi;
	m = MAX(MAX(n, 4), MAX(1, 2));
	assert(m == 4);
	TWICE(TWICE(m++));
M:
}
