//= termination holds
int main() {
    int x = __VERIFIER_nondet_int();
loop:
    if (x <= 0) goto done;
    x = x - 1;
    goto loop;
done: ;
    return 0;
}
