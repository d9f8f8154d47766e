//= termination holds
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 10) {
        int y = x - 10;
        while (y > 0) y--;
    }
    int z = x;
    do { z--; } while (z > 0);
    return (0);
}
