/* Declarations that are not at the beginning of a proctype are steps; blocks have variables of their own. */
typedef Pair { byte a; byte b }
int x;
inline twice(v) { int k = v; x = k; x = x + k }

active proctype P()
{
	byte n;
	x = 1;
	int p = 2;
	if
	:: x == 1 -> int r = 3; x = r
	:: x == 2 -> int s; x = s
	fi;
	{ int i, j = 4; byte a[3]; Pair z; z.b = 2; x = i + j + z.b; a[1] = 5 };
	{ int i; x = i; i = 7 };
	atomic { int t; x = t; int u = 1; x = u };
	d_step { int w = 5; x = w };
	twice(p);
	do
	:: n < 2 -> int i2 = 3; i2++; n++
	:: else -> break
	od
}
