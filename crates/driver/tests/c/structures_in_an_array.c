//= termination holds
struct task { int left; int done; };
struct task tasks[2];
int main() {
    int i;
    tasks[0].left = 3;
    tasks[1].left = 2;
    for (i = 0; i < 2; i++)
        while (tasks[i].left > 0) { tasks[i].left--; tasks[i].done++; }
    return 0;
}
