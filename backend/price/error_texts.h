// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::price {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // cost_model.cpp
    {"no-time-measured", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 takes %2 s, which is not a valid time"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-time-on-crowded-host", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 takes %2 s on a crowded host, which is not a valid time"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-spread-of-times", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the spread of %1 is %2 s, which is not a valid time"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"rate-not-above-zero", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 must be above zero"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-time-of-device", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the %1 time is negative or not finite"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-number-of-crowded-cores", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the number of crowded cores is negative or not finite"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-figure-of-link", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the %1 is negative or not finite"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-time-of-relay", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a time of a device on this path is negative or not finite"),
     DIVISI_TEXT("errors", "repeat the measurement")},
    {"no-number-of-cores", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the number of cores is negative or not finite"),
     DIVISI_TEXT("errors", "repeat the measurement")},

    // landscape.cpp
    {"no-legal-cut", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "cut %1 is not legal, or the cuts are not in ascending order"),
     DIVISI_TEXT("errors", "choose the cuts with choose_cuts()"), true},
    {"no-such-cut-of-plan", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the plan has no cut %1"),
     DIVISI_TEXT("errors", "choose a cut of this plan"), true},
    {"devices-not-per-stage", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there are %1 devices for %2 stages"),
     DIVISI_TEXT("errors", "name one device for every stage"), true},
    {"device-not-described", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "device '%1' has no profile or is on no known host"),
     DIVISI_TEXT("errors", "give the device a profile and a host")},
    {"cut-behind-another", ErrorCode::invalid_input, DIVISI_TEXT("errors", "another cut lies between these positions"),
     DIVISI_TEXT("errors", "move the other cut first")},
    {"cut-against-pin", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "operator '%1' would run in %2 but is pinned %3, and %4"),
     DIVISI_TEXT("errors", "keep these operators in different stages, or remove a pin")},
    {"cut-without-secure-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "sensitive operator '%1' would run in %2, but %3"),
     DIVISI_TEXT("errors", "keep the operator on a secure node")},
    {"cut-to-insecure-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "sensitive operator '%1' would run in %2, but %3, which is not secure"),
     DIVISI_TEXT("errors", "keep the operator on a secure node")},
    {"cut-exceeds-memory", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 would need %2 of memory, but %3 has only %4"),
     DIVISI_TEXT("errors", "use more micro-batches, recompute, or another node")},

    // max_plus.cpp
    {"simulated-schedule-waits", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks"),
     DIVISI_TEXT("errors", "check_deadlock() names the cycle of waits")},

    // predict.cpp
    {"device-without-profile", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the device has no profile"),
     DIVISI_TEXT("errors", "use default_profile()")},
    {"device-on-no-host", ErrorCode::invalid_input, DIVISI_TEXT("errors", "device '%1' is on an unknown host"),
     DIVISI_TEXT("errors", "add the host of the device")},

    // simulator.cpp
    {"prices-not-per-stage", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the plan needs one price and one place for each stage, and one size for each channel"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"plan-without-stage", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the plan has no stage"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"placed-on-no-host", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is placed on an unknown host"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"no-seconds-of-operation", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 s is not a valid time for an operation"), DIVISI_TEXT("errors", "price the plan again"),
     true},
    {"no-time-of-operation", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the time of an operation is negative or not finite"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"tensor-of-negative-size", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the size of a tensor is negative"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"tensor-takes-hours", ErrorCode::invalid_input, DIVISI_TEXT("errors", "sending a tensor of %1 takes hours"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"run-without-step", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the run has no step"),
     DIVISI_TEXT("errors", "price the plan again")},
    {"schedule-waits-before", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks before %1"),
     DIVISI_TEXT("errors", "check_deadlock() names the cycle of waits")},
    {"schedule-waits", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks"),
     DIVISI_TEXT("errors", "price the plan again")},

    // phrases in the texts above
    {"reason-is-pin", ErrorCode::invalid_input, DIVISI_TEXT("errors", "operator '%1' is pinned to %2")},
    {"reason-is-placement", ErrorCode::invalid_input, DIVISI_TEXT("errors", "that stage is placed on %1")},
    {"reason-is-no-secure-node", ErrorCode::invalid_input, DIVISI_TEXT("errors", "no node is secure")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::price
