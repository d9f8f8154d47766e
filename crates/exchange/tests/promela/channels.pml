/* process dies with open channel, global chan var assigned, chan compare */
chan g; byte r;
proctype P(chan c) { chan mine = [1] of { byte }; byte v; c!mine; mine?v; r = v }
init { chan a = [0] of { chan }; chan t; run P(a); a?t; g = t; if :: g == t -> g!5 :: else -> assert(false) fi; r == 5 }
