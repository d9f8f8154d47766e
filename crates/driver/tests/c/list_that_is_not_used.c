//= termination holds
struct node { struct node *next; int value; };
struct node first;
int main() { first.value = 3; while (first.value > 0) first.value--; return 0; }
