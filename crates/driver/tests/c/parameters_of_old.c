//= termination holds
int f(a, b)
int a, b;
{
    register int c;
    c = a;
    while (c > b) c = c - 1;
    return c;
}
main()
{
    int x, y;
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    if (x < 100)
        y = f(x, y);
    return (0);
}
