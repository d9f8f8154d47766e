//= termination holds
//= assertions fails
void reach_error() { }
void __VERIFIER_assert(int cond) {
    if (!(cond)) {
        ERROR: { reach_error(); abort(); }
    }
    return;
}
int main() {
    int x = 0;
    while (x < 10) x += 3;
    __VERIFIER_assert(x == 10);
    return 0;
}
