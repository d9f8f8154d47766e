//= termination holds
int f(int x) __attribute__((noinline));
__attribute__((always_inline)) static inline int g(int x) { return x - 1; }
int f(int x) { return g(x); }
int main() __attribute__((noreturn));
int main() {
    register int x __attribute__((unused)) = 5;
    while (x > 0) x = f(x);
    return 0;
}
