//= waits holds
//@ ltl invariant waits: (AP(s == 0) U AP(s == 1));
int s;
int main() {
    int n = 10;
    while (n > 0) n--;
    s = 1;
    while (1) ;
    return 0;
}
