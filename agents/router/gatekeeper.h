// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/mesh/admission/admission.h"

namespace divisi::router {

/// The AAM of a gateway: it admits by the policy that the orchestrator sent, and tells it what was decided. While the
/// orchestrator is away the policy holds for as long as the gateway was started with; then nothing is admitted.
class Gatekeeper {
public:
    explicit Gatekeeper(const mesh::AdmissionConfig& config) : admission_(config) {}

    mesh::Admission& admission() { return admission_; }
    /// Refused: see mesh::Authorizer::set_policy; all is denied then.
    Result<void> take(const control::AdmissionPolicy& policy, TimePoint now);
    /// The connection by which the policy came is gone.
    void cut_off() { current_ = false; }
    /// Comes as long as the connection is there.
    void connected(TimePoint now);

    /// A line for the operator where it has just closed or opened.
    std::optional<std::string> news(TimePoint now);

    /// Into a report: what was counted since it began.
    void count(control::DeviceReport& report) const;
    /// Into a report: what was decided since the last one.
    void fill(control::DeviceReport& report);

private:
    mesh::Admission admission_;
    bool current_ = false;  ///< the policy came by the connection that is there now
    bool closed_ = true;
};

}  // namespace divisi::router
