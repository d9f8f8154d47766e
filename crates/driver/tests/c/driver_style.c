//= locked holds
//@ ltl invariant locked: [](AP(acquired == 1) ==> <>AP(acquired == 0));
int acquired;
static void lock(void) { acquired = 1; }
static void unlock(void) { acquired = 0; }
int status, requests;
int main() {
    acquired = 0;
    requests = __VERIFIER_nondet_int();
    while (1) {
        do {
            lock();
            status = __VERIFIER_nondet_int();
            unlock();
            if (status > 0) { requests--; break; }
        } while (__VERIFIER_nondet_int());
    }
    return 0;
}
