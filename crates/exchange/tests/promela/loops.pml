/* `for` over ranges, arrays and channels, `select`, and records as messages. */
typedef Pair { byte a; bit b }
chan c = [3] of { Pair };
chan d = [0] of { byte, Pair };
int a[4] = 3;
byte got;

init {
	int i; Pair m, k;
	for (i in a) { a[i] = a[i] + i }
	for (i : 1 .. 3) { got = i }
	c!m; m.a = 2; c!m;
	for (m in c) { printf("%d\n", m.a); a[0] = m.a }
	select (i : 1 .. 3);
	run Q();
	m.b = 1;
	d!i,m
}

proctype Q() { byte x; Pair p; d?x,p; got = p.a + x; assert(p.b == 1) }
