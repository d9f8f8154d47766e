/* Records in records, in arrays and in messages. */
typedef Msg { byte src; byte dst; bool data[2] }
typedef Node { Msg last; byte count }
Node nodes[2]; chan net[2] = [1] of { Msg }; byte done;
active [2] proctype N() { Msg m; byte r; 
 m.src = _pid; m.dst = 1 - _pid; m.data[1] = true; net[m.dst]!m;
 net[_pid]?m; nodes[_pid].last.src = m.src; nodes[_pid].last.data[1] = m.data[1]; nodes[_pid].count++; done++ }
