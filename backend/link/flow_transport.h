// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/link/data_port.h"

namespace divisi::link {

/// Chunk size of blobs. It is smaller than the chunk size of tensors, because a tensor must wait while a blob chunk is
/// being sent.
inline constexpr std::uint32_t blob_flow_chunk_bytes = 256u << 10;
/// Limit on messages that have overtaken a lost message; the other end has far fewer pending messages (blob_window).
inline constexpr std::size_t most_early_messages = 64;

/// One connection between two ends, made of two flows of the blob class, one in each direction. Each message travels as
/// one tensor of bytes through gateways and routers. It arrives exactly once and in order, even if devices on the path
/// die. BlobServer and BlobTransfer, which otherwise use a socket, use this connection without changes.
///
/// The listener is the source of the blob, the connecting end its sink. Everything runs on the loop's thread.
class FlowTransport final : public Transport {
public:
    struct Ends {
        Sid self, peer;
        frame::Incarnation incarnation = 0;  ///< incarnation of both ends; never reused
    };
    /// `sockets` sends and receives the frames; `trouble` receives errors for the log.
    FlowTransport(Loop& loop, Transport& sockets, Ends ends, std::function<void(const Error&)> trouble = {});

    /// Listens like DataPort::listen; this end's gateway delivers frames to the returned endpoint.
    Result<std::string> open(const std::string& endpoint, bool allow_remote = false);
    /// Sets the address of this end's gateway, through which the other end is reached.
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
    std::int64_t sent_ = 0, delivered_ = 0;            ///< numbers of messages sent and delivered
    std::map<std::int64_t, graph::HostTensor> early_;  ///< messages that have overtaken a missing one, by number
    DataPort port_;
};

}  // namespace divisi::link
