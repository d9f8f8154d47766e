/* Processes that create processes and die in order; channels as arguments and messages; numbers of processes. */
chan done = [2] of { byte, chan };
byte total, most;

proctype W(byte n; chan back)
{	chan own = [1] of { byte };
	byte k = n + 1;
	if
	:: n > 0 -> run W(n - 1, own); own?k
	:: else
	fi;
	back!k;
	total = total + _pid
}

init {	chan mine = [1] of { byte }; byte v; pid p;
	p = run W(2, mine);
	mine?v;
	(_nr_pr == 1);
	atomic { run W(0, mine); most = _nr_pr; run W(1, mine) }
	mine?v; mine?v
}
