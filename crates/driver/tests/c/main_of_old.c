//= termination holds
#include <stdio.h>
main(argc, argv)
int argc;
char **argv;
{
    int i;
    for (i = 0; i < 10; i++)
        printf("%d\n", i);
}
