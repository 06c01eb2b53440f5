// SPDX-License-Identifier: Apache-2.0
// divisi-gateway: the microservice gateway (MG) of one MIC.
#include "agents/router/program.h"

int main(int argc, char** argv) { return divisi::router::run(divisi::mesh::DeviceRole::gateway, argc, argv); }
