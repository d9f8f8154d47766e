/* `atomic` that blocks inside, jumps into and out of it, `d_step` with loops and choices, labels at their ends. */
byte x, y, z;
active proctype A()
{
	atomic { x++; y == 1; x++; if :: z > 0 -> goto out :: else -> y = 2 fi; x = 9 };
	skip;
out:	skip;
	d_step { byte i; i = 0; do :: i < 3 -> z = z + i; i++ :: else -> break od; y = z };
	do :: y > 0 -> atomic { y--; z-- } :: y == 0 -> break od
}
active proctype B()
{
	y = 1;
	atomic { if :: x == 1 -> z = 1 :: x > 1 -> skip :: else -> skip fi };
progress: do :: d_step { z < 5 -> z++ } :: z >= 4 -> break od
}
