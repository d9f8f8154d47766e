/* Symbols in variables, records, messages and parameters; some of them are also numbers. */
mtype = { request, reply, cancel };
typedef packet { mtype kind; byte number; chan back };

chan wire = [2] of { packet };
chan hand = [0] of { mtype, mtype };
chan mixed = [1] of { mtype };
chan answers = [1] of { mtype };
mtype last, first = cancel, counted = request, stores[2];
byte code;

proctype worker(mtype task)
{	mtype seen;
	packet p;

	p.kind = task;
	p.number = 3;
	p.back = answers;
	wire!p;
	answers?seen;
	stores[1] = seen;
	hand!seen,(seen == reply -> cancel : request)
}

active proctype server()
{	packet p;
	mtype m;

	wire?p;
	last = p.kind;
	code = p.kind + 1;
	p.back!reply;
	hand?reply,m;
	assert(m == cancel && last != reply);
	counted++;
	if
	:: counted > cancel -> mixed!counted
	:: else -> mixed!m
	fi;
	mixed?m;
	last = 0;
	assert(m != 77)
}

init {
	run worker(request)
}
