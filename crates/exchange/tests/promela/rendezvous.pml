/* Handshakes inside `atomic`, with matching, from several processes. */
mtype = { ask, yes, no };
chan c = [0] of { mtype, byte };
byte owner, n;

active [2] proctype Client()
{	byte k;
	do
	:: atomic { n < 3 -> n++; c!ask,_pid };
	   if
	   :: c?yes,eval(_pid) -> owner = _pid; owner = 0
	   :: c?no,_
	   fi
	:: n >= 3 -> break
	od
}

active proctype Server()
{	byte who;
end:	do
	:: c?ask,who ->
	   if
	   :: owner == 0 -> atomic { c!yes,who; owner = 9 }
	   :: c!no,who
	   fi
	od
}
