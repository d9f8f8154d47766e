/* Buffers by hand and by channels in arrays, macros with arguments, and variables called like functions of ours. */
#define MAX 3
#define inc(x) (((x) + 1) % MAX)
byte buf[MAX], head, tail = MAX - 1, cnt = MAX - 3; chan q[2] = [2] of { byte, byte, bool };
inline push(i, v) { if :: nfull(q[i]) -> q[i]!v(v + 1, (v > 1)) :: full(q[i]) -> skip fi }
active proctype P() { byte i; do :: i < 2 -> push(i, i + 1); i++ :: else -> break od; if :: len(q[0]) + len(q[1]) > 1 && q[0]?[1,2,false] -> cnt = 5 :: else -> cnt = 6 fi }
active proctype C() { byte a, b; bool d; do :: q[0]?a(b, d) -> buf[head] = a; head = inc(head) :: q[1]?a,b,true -> tail = (d -> tail : inc(tail)) :: cnt >= 5 && empty(q[0]) && empty(q[1]) -> break od }
