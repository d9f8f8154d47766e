/* Jumps with labels that SPIN looks for are steps. */
byte x;

active proctype P()
{
s0:	if
	:: x == 0 -> goto s1
	:: x > 0 -> progress: goto s2
	fi;
s1:	x++;
	goto s0;
s2:	x = 0;
end_a:	goto s3;
s3:	x = 2;
accept_a: goto s0
}
