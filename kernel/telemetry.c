/*
 * telemetry.c - the block itself, in a section of its own so that it is easy to find and to leave
 * out of size.
 */
#include "telemetry.h"

struct telemetry telemetry __attribute__((section(".telemetry")));
