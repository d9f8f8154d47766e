/* Values that wrap around, operators of C, conditional expressions, labels and remote references. */
byte b = 250; short s = 32760; bit f; unsigned u : 3; int i = 7; bool t;
active proctype P()
{	byte k;
L:	b = b + 10; s = s + 10; f = f + 1; u = u - 3;
	i = (i << 2) ^ 5; i = -i / 3; i = i % 4; i = ~i & 255; i = (b > 3 -> b : -b);
	t = (i >= 4 && !f) || (u == 5);
	k++;
M:	if :: k < 3 -> goto L :: else -> skip fi
}
active proctype Q() { (P@M); assert(P:k > 0); (P[0]@L) -> i++ }
