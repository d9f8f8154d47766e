typedef Inner { byte a = 3; short b[2] = -1; mtype m };
typedef Outer { Inner i[2]; bool c = true; byte d[2] = { 7, 300 } };
mtype = { one, two };
Outer o; byte x;
proctype P(byte k) { Outer l; x = l.i[1].a + l.d[0]; l.i[0].m = two; x = l.d[1] + k; o.i[k].b[1] = l.i[1].b[0] + 1 }
active proctype Q() { Inner n; run P(0); x = n.a; run P(1); if :: o.i[0].b[1] == 0 -> x = 1 :: o.c -> n.a = o.d[1] fi }
