// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/link/data_port.h"

namespace divisi::link {

/// Chunk size of blobs. It is smaller than that of tensors, because a tensor must wait while a blob chunk is being
/// sent.
inline constexpr std::uint32_t blob_flow_chunk_bytes = 256u << 10;
/// Limit on messages that have overtaken a lost one; the other end has far fewer pending (blob_window).
inline constexpr std::size_t most_early_messages = 64;

/// One connection between two ends, made of two flows of the blob class, one in each direction. Each message travels as
/// one tensor of bytes through gateways and routers. It arrives once and in order, even if devices on the path die.
/// BlobServer and BlobTransfer, which otherwise use a socket, run over this connection unchanged.
///
/// The listener is the source of the blob, the connecting end its sink. Everything runs on the loop's thread.
class FlowTransport final : public Transport {
public:
    struct Ends {
        Sid self, peer;
        frame::Incarnation incarnation = 0;  ///< incarnation of both ends; never reused
    };
    /// `sockets` carries the frames out and in; `trouble` receives errors for the log.
    FlowTransport(Loop& loop, Transport& sockets, Ends ends, std::function<void(const Error&)> trouble = {});

    /// Listens like DataPort::listen; this end's gateway delivers frames there.
    Result<std::string> open(const std::string& endpoint, bool allow_remote = false);
    /// Sets the address for reaching the other end: that of this end's gateway.
    void join(const Address& entry);

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override;
    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override;

private:
    class Line;
    class Port;
    void attach(const void* end, std::function<void(Parts)> deliver);
    void detach(const void* end);
    Sent send(const Parts& parts);
    void arrived(frame::TensorFrame frame);

    Loop& loop_;
    const Ends ends_;
    const std::uint64_t task_;
    std::function<void(Parts)> deliver_;
    const void* end_ = nullptr;                        ///< the Line or Port that owns deliver_
    std::int64_t sent_ = 0, delivered_ = 0;            ///< counts of messages
    std::map<std::int64_t, graph::HostTensor> early_;  ///< messages by number that have overtaken a missing one
    DataPort port_;
};

}  // namespace divisi::link
