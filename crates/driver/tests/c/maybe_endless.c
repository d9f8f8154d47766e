//= termination fails
extern int nondet(void);
int main() {
    int x = 0;
    while (nondet()) { x = x + 1; }
    return x;
}
