//= positive holds
//@ ltl invariant positive: ([](AP(goal > 0) ==> <>AP(floor == goal)));
int floor, goal;
int main() {
    floor = 1; goal = 0;
    while (1) {
        goal = __VERIFIER_nondet_int();
        while (floor != goal) { if (floor < goal) floor++; else floor--; }
    }
}
