// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/service_lease.h"

#include <utility>

#include "backend/control/types/service_types.h"

namespace divisi::control::inline agent {

void ServiceLease::say(mesh::Registration now) {
    if (said_ == now) return;
    said_ = std::move(now);
    known_ = false;
    asked_.reset();
    next_ = {};
}

void ServiceLease::answered(std::uint64_t number, const Message& answer, TimePoint now) {
    if (!asked_ || asked_->number != number) return;
    const bool renewal = std::exchange(asked_, std::nullopt)->renewal;
    if (const auto* registered = get_if<ServiceRegistered>(&answer)) {
        known_ = !renewal || registered->epoch == epoch_;
        epoch_ = registered->epoch;
        next_ = known_ ? now + mesh::renew_interval : now;
    } else {
        // If a renewal is refused, the registry does not know the instance: register again immediately. If a
        // registration is refused, the reason may be transient: retry later.
        known_ = false;
        next_ = renewal ? now : now + mesh::renew_interval;
    }
}

std::optional<ServiceLease::Question> ServiceLease::due(TimePoint now) {
    if (!said_ || asked_ || now < next_) return std::nullopt;
    asked_ = {++last_number_, known_};
    if (known_) return Question{last_number_, RenewService{said_->sid, said_->incarnation, epoch_}};
    return Question{last_number_, RegisterService{*said_}};
}

}  // namespace divisi::control::inline agent
