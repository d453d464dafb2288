// Package fuse compiles simple class functions to a register program that Go runs without the Lua VM: no
// dispatch of bytecode, no boxed numbers, no call of a native for each variable. A Tick of arithmetic on its
// actor's variables takes about a ninth of its time in the VM that way, and allocates nothing.
//
// What a script may notice is the time, and nothing else. A fused function does nothing while it runs but
// compute; assignments are kept in registers and stored at the end. Whatever it did not expect (an argument
// of another type, a value that does not fit its variable, a division of a rotator by 0) makes it stop before
// it has stored anything, and the VM runs the function from the start and raises the error with its line.
// TestFusedDoesTheSame of package scriptvm holds random programs to that: hashes, errors, dirty marks, undo,
// everything that scripts read.
//
// # What is fused
//
// A function of a class or of a state, where the engine calls it (Tick, a timer, an event, a replicated
// call; not where another script calls it), if all it has is:
//
//   - parameters used as numbers, or as what the event's table in docs/lua-api.md or .params says: numbers,
//     booleans, vectors, rotators;
//   - local variables with a value, each of one type: number, boolean, vector, rotator, enum;
//   - declared variables of self that are floats, ints, booleans, enums, vectors or rotators, read and
//     assigned (an enum from a literal, or from one of the same names); strings, only compared with a literal;
//     references, only asked whether they are nil; X, Y, Z, Pitch, Yaw, Roll of any vector or rotator;
//   - variables of the engine's, read; and assigned where that does no more than to set them (Velocity,
//     Acceleration, NetPriority, bHidden, DrawScale…; not Location, Rotation, Physics, Owner);
//   - world.TimeSeconds, DeltaSeconds, Gravity, NetMode; ROLE_* and the other constants;
//   - locals of the file that are never assigned after their first value, a number, boolean or string;
//   - + - * / % ^ and unary minus, on vectors and rotators too; comparisons; and, or, not of booleans, and
//     `test and a or b` with a and b of one type;
//   - math but for random, frexp, ldexp and modf; vector(…), rotator(…), Size, Size2D, Dot, Cross, Normal,
//     Distance, Rotation, Vector, With{ X = … };
//   - if, elseif, else, do, and return without values.
//
// Anything else leaves the function to the VM, whole: any other call, a loop, a table, a function, joining
// strings, a result, variables of another actor, arrays and structs, a local of the file that is assigned,
// a constant −0. [Refusal] names the first such thing and its line (classfile.Def.Slow).
//
// # How it works
//
// [Read] takes a function out of the parsed file before the tree is rewritten: once for each text, whatever
// the classes. [Compile] fits it to the classes of one load, since a reload may move or retype variables; a
// program refuses actors of any other set of classes.
//
// # What differs from the VM all the same
//
// A fused call takes nothing from an instruction budget and needs no Lua stack. So a script that runs out of
// either by a hair, because of events its own calls cause, gets that much further. Both bound runaway
// scripts, of which no fused function is one: it has no loop.
//
// It owns no state and knows no Lua values; package scriptvm keeps the copies that scripts read.
package fuse
