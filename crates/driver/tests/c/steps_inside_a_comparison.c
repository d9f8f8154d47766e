//= termination fails
int main() {
    int x = nondet(), y = nondet();
    while (x-- > y--) ;
    return 0;
}
