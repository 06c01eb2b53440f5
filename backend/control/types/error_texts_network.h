// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::control::inline types {

/// Errors of control/network.
inline constexpr ErrorText network_error_texts[] = {
    // network/mesh_admission.cpp
    {"no-such-gateway", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such gateway"),
     DIVISI_TEXT("errors", "'divisictl routes' lists all gateways")},

    // network/mesh_devices.cpp
    {"device-name-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a device needs a name of 1 to 255 bytes"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-role-and-mic", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a gateway must name its MIC, and a router must not name one"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-too-many-neighbours", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the device has more than 1024 neighbours"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-text-too-long", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the MIC, endpoint, key, host or version of the device has more than 1024 bytes"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-neighbour-name-length", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the name of a neighbour has more than 255 bytes"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-name-taken", ErrorCode::conflict, DIVISI_TEXT("errors", "another device has this name"),
     DIVISI_TEXT("errors", "give each gateway and router a name of its own")},
    {"mic-has-gateway", ErrorCode::conflict, DIVISI_TEXT("errors", "the MIC %1 has a gateway already"),
     DIVISI_TEXT("errors", "end that gateway first")},
    {"mesh-full", ErrorCode::exhausted, DIVISI_TEXT("errors", "the mesh has no room for another device"),
     DIVISI_TEXT("errors", "end devices that are not needed")},
    {"device-key-of-another", ErrorCode::denied,
     DIVISI_TEXT("errors", "the key of %1 is not allowed to register as %2"),
     DIVISI_TEXT("errors", "start the device with the name under which its key was allowed")},
    {"device-brings-another-key", ErrorCode::denied,
     DIVISI_TEXT("errors", "the registered key is not the key of the connection"),
     DIVISI_TEXT("errors", "start the device with the name under which its key was allowed")},
    {"device-of-another-connection", ErrorCode::denied,
     DIVISI_TEXT("errors", "this connection is already registered as %1"),
     DIVISI_TEXT("errors", "start the device with the name under which its key was allowed")},
    {"report-of-no-device", ErrorCode::denied, DIVISI_TEXT("errors", "only a registered device may report"),
     DIVISI_TEXT("errors", "register the device first")},
    {"device-neighbour-of-itself", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a device cannot be its own neighbour"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},
    {"device-rate", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a rate must be a number of bytes per second, or 0 for no limit"),
     DIVISI_TEXT("errors", "correct the device's arguments and start it again")},

    // network/mesh_faults.cpp
    {"link-fault-mixed", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a link can be either cut or slowed, not both"),
     DIVISI_TEXT("errors", "cut the link, or give a rate from 1 kB/s to 1 TB/s or a delay of at most 10 s")},
    {"link-fault-rate", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the rate is out of range"),
     DIVISI_TEXT("errors", "cut the link, or give a rate from 1 kB/s to 1 TB/s or a delay of at most 10 s")},
    {"link-fault-delay", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the delay is out of range"),
     DIVISI_TEXT("errors", "cut the link, or give a rate from 1 kB/s to 1 TB/s or a delay of at most 10 s")},
    {"gateway-cannot-be-killed", ErrorCode::invalid_input, DIVISI_TEXT("errors", "this is the only gateway of its MIC"),
     DIVISI_TEXT("errors", "kill a router, or cut the gateway's links")},
    {"no-such-link-fault", ErrorCode::not_found, DIVISI_TEXT("errors", "the link has no fault"),
     DIVISI_TEXT("errors", "'divisictl fault list' shows all faults")},
    {"no-such-device", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such gateway or router"),
     DIVISI_TEXT("errors", "the gateways and routers are: %1")},
    {"no-device-at-all", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such gateway or router"),
     DIVISI_TEXT("errors", "this cluster has no gateways and no routers")},
    {"device-away", ErrorCode::unavailable, DIVISI_TEXT("errors", "the device is away and cannot receive the order"),
     DIVISI_TEXT("errors", "wait until 'divisictl routes' shows it as up")},
    {"no-such-link", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such link"),
     DIVISI_TEXT("errors", "%1 has links to %2")},
    {"no-link-at-all", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such link"),
     DIVISI_TEXT("errors", "%1 has no links")},

    // network/mics.cpp
    {"report-of-no-gateway", ErrorCode::denied,
     DIVISI_TEXT("errors", "only a registered gateway may report for its MIC"),
     DIVISI_TEXT("errors", "register the gateway first")},

    // network/process_faults.cpp
    {"fault-node-away", ErrorCode::unavailable, DIVISI_TEXT("errors", "the node is away and cannot receive the order"),
     DIVISI_TEXT("errors", "wait until 'divisictl nodes' shows it as ready")},
    {"no-fault-injection", ErrorCode::denied, DIVISI_TEXT("errors", "this cluster does not allow faults"),
     DIVISI_TEXT("errors", "use the embedded cluster, or start divisid with --allow-faults")},
    {"pause-out-of-range", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the pause is out of range"),
     DIVISI_TEXT("errors", "give a pause of more than 0 s and at most 60 s")},
    {"fault-node-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such node"),
     DIVISI_TEXT("errors", "the nodes are: %1")},
    {"fault-no-node-at-all", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such node"),
     DIVISI_TEXT("errors", "this cluster has no nodes")},
    {"node-too-young", ErrorCode::conflict, DIVISI_TEXT("errors", "the node has only just connected"),
     DIVISI_TEXT("errors",
                 "kill the node some seconds later: its host does not restart a program that dies several times soon "
                 "after its start")},
    {"sid-not-played", ErrorCode::not_found, DIVISI_TEXT("errors", "no process serves this SID now"),
     DIVISI_TEXT("errors", "SIDs with a process: %1")},
    {"no-task-to-fault", ErrorCode::not_found, DIVISI_TEXT("errors", "no process serves this SID now"),
     DIVISI_TEXT("errors", "start a task first: no task runs now")},

    // network/services.cpp
    {"service-of-no-instance", ErrorCode::not_found, DIVISI_TEXT("errors", "no running task has this instance"),
     DIVISI_TEXT("errors", "end this instance; its task is over")},
};

}  // namespace divisi::control::inline types
