//= positive holds
//@ ltl invariant positive: [](AP(lock == 1) ==> <>AP(lock == 0));
#define TRUE 1
#define FALSE 0
#define STATUS_OK 0
#define KeAcquire(l) do { lock = 1; irql = 2; } while (0)
#define KeRelease(l) do { irql = 0; lock = 0; } while (0)
typedef int NTSTATUS;
typedef unsigned char BOOLEAN;
int lock, irql;
NTSTATUS IoCall() { int s = __VERIFIER_nondet_int(); return s; }
int main() {
    NTSTATUS status; BOOLEAN done; int loops;
    lock = 0; irql = 0; done = FALSE;
    while (TRUE) {
        loops = __VERIFIER_nondet_int();
        KeAcquire(x);
        while (loops > 0) {
            status = IoCall();
            if (status != STATUS_OK) { loops -= 2; } else loops--;
        }
        KeRelease(x);
        if (done) break;
    }
    while (1) { ; }
    return 0;
}
