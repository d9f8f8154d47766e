/* labels: end, progress, accept in options; goto out of atomic; assert in atomic */
byte s; mtype = { idle, busy }; mtype st = idle;
active proctype A() { 
end_idle: do :: st == idle -> st = busy; progress_0: s++; if :: s > 3 -> goto stop :: s <= 3 -> skip fi :: st == busy -> accept_b: st = idle od;
stop: atomic { s = 0; assert(s == 0); st = idle; goto end_x; s = 9 };
end_x: (s == 7) }
