/* LE_OR of examples/pat/le_or.fair for SPIN, by hand. Every action is a process of its own, so that SPIN's weak fairness
   of processes is weak fairness of actions.
   spin -DN=5 -a le_or.pml, then the flags of the row. */

bool leader[N], bullet[N], tag[N], probe[N], phase[N];
byte leaders;

#define V ((u + 1) % N)
#define same (tag[u] == tag[V])
#define crown leaders = leaders + 1 - leader[u]; leader[u] = true
#define turn bullet[V] = false; tag[V] = 1 - tag[V]; phase[V] = false

proctype Rule01(byte u) {
    do :: d_step { same && probe[u] && !phase[u] && !leader[V] -> crown; probe[u] = false; phase[u] = true; probe[V] = true } od
}
proctype Rule02(byte u) {
    do :: d_step { same && probe[u] && !phase[u] && leader[V] -> crown; probe[u] = false; phase[u] = true } od
}
proctype Rule03(byte u) {
    do :: d_step { same && probe[u] && phase[u] && !probe[V] -> crown; probe[u] = false; turn } od
}
proctype Rule04(byte u) {
    do :: d_step { same && probe[u] && phase[u] && probe[V] -> crown; probe[u] = false } od
}
proctype Rule05(byte u) {
    do :: d_step { same && !probe[u] && !phase[u] && !leader[V] -> phase[u] = true; probe[V] = true } od
}
proctype Rule06(byte u) {
    do :: d_step { same && !probe[u] && !phase[u] && leader[V] -> phase[u] = true } od
}
proctype Rule07(byte u) {
    do :: d_step { same && !probe[u] && phase[u] && !probe[V] -> turn } od
}
proctype Rule08(byte u) {
    do :: d_step { !same && leader[V] && bullet[V] -> leader[V] = false; leaders-- } od
}
proctype Rule09(byte u) {
    do :: d_step { !same && leader[V] && !bullet[V] -> bullet[u] = true; probe[u] = false } od
}
proctype Rule10(byte u) {
    do
    :: d_step { !same && !leader[V] && bullet[V] && probe[u] ->
        bullet[u] = true; bullet[V] = false; probe[u] = false; probe[V] = true }
    od
}
proctype Rule11(byte u) {
    do :: d_step { !same && !leader[V] && !bullet[V] && probe[u] -> probe[u] = false; probe[V] = true } od
}
proctype Rule12(byte u) {
    do :: d_step { !same && !leader[V] && bullet[V] && !probe[u] -> bullet[u] = true; bullet[V] = false } od
}

init {
    byte u;
    atomic {
        for (u : 0 .. N - 1) {
            run Rule01(u); run Rule02(u); run Rule03(u); run Rule04(u); run Rule05(u); run Rule06(u);
            run Rule07(u); run Rule08(u); run Rule09(u); run Rule10(u); run Rule11(u); run Rule12(u)
        }
        for (u : 0 .. N - 1) {
            if :: leader[u] = true; leaders++ :: skip fi;
            if :: bullet[u] = true :: skip fi;
            if :: tag[u] = true :: skip fi;
            if :: probe[u] = true :: skip fi;
            if :: phase[u] = true :: skip fi
        }
        u = 0
    }
}

ltl one_leader { <> [] (leaders == 1) }
