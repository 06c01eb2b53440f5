// SPDX-License-Identifier: Apache-2.0
// divisi-router: a service router (SR), the draft's programmable network element.
#include "agents/router/program.h"

int main(int argc, char** argv) { return divisi::router::run(divisi::mesh::DeviceRole::router, argc, argv); }
