/* the bounded retransmission style: D_proctype, hidden, show, xr xs, printf, printm, eval, sorted */
show byte c1; byte tmp; mtype = { a1, a2 };
chan qq = [3] of { byte, mtype, bool };
active proctype S() { xs qq; byte i = 3; do :: i > 0 -> qq!!i,a1,(i > 1); i-- :: else -> break od; printf("MSC: %d\n", i); printm(a1) }
active proctype R() { xr qq; byte x; bool t; mtype m; do :: qq??2,m,t -> c1 = c1 + 1 :: qq?eval(c1 + 1),a1,t -> c1++ :: qq?<x,m,t> -> tmp = x; if :: x > 1 -> skip :: else fi; qq?x,_,_ :: c1 > 3 -> break :: timeout -> break od }
