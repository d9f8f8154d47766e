/* Groups of symbols, and variables of them. */
mtype = { stop, go };
mtype:light = { red, green };
mtype:light now = red;
mtype last;
active proctype P() { mtype:light next; do :: now == red -> next = green; now = next; last = go :: now == green -> now = red; last = stop od }
