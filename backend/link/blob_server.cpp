// SPDX-License-Identifier: Apache-2.0
#include "backend/link/blob_server.h"

#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

/// Returns whether the connection's role permits transfers of files: this needs the right to submit or to serve. A
/// module reads a node's files only through the orchestrator, and cannot write any.
bool moves_files(const Credentials& credentials) {
    using identity::Right;
    const auto may = [&](Right right) { return credentials.role && identity::allowed(*credentials.role, right); };
    return credentials.owner || may(Right::submit) || may(Right::serve);
}

}  // namespace

Result<std::string> BlobPort::select(const std::string& hash, const std::vector<std::string>&) {
    return make_error(error_text("blobs-not-parted"), hash);
}

Result<std::string> BlobServer::listen(const std::string& endpoint, bool allow_remote) {
    Listener::Events events;
    events.message = [this](const std::string& route, const Credentials& credentials, const Parts& parts) {
        on_parts(route, credentials, parts);
    };
    DIVISI_ASSIGN(listener_, transport_.listen({endpoint, Purpose::blob, allow_remote}, std::move(events)));
    return listener_->endpoint();
}

void BlobServer::on_parts(const std::string& route, const Credentials& credentials, const Parts& parts) {
    if (parts.size() != 2) return;
    auto message = wire::decode_blob(parts[0].bytes);
    if (!message.ok() || message->answer) return;  // cannot answer: the sender speaks another protocol
    message->answer = true;
    Result<std::string> reply = std::string();
    if (!moves_files(credentials))
        reply = make_error(error_text("may-not-move-files"), listener_->endpoint(), {credentials.name});
    else reply = serve(*message, parts[1].bytes);
    message->status = reply.ok() ? 0 : static_cast<std::uint8_t>(1 + static_cast<int>(reply.error().code));
    std::string payload = reply.ok() ? *std::move(reply) : wire::encode_error(reply.error());
    // A failed send needs no handling. A client has only a few pending questions, far below its queue limit. A
    // disconnected client needs no answer.
    if (auto header = wire::encode_blob(*message); header.ok())
        listener_->send(route, {Part::of(*std::move(header)), Part::of(std::move(payload))});
}

Result<std::string> BlobServer::serve(wire::BlobMessage& m, std::span<const std::byte> payload) {
    switch (m.verb) {
        case wire::BlobVerb::describe: {
            DIVISI_ASSIGN(const BlobManifest manifest, port_.describe(m.hash));
            m.size = manifest.size;
            return wire::encode_chunks(manifest.chunks);
        }
        case wire::BlobVerb::begin: {
            BlobManifest manifest{m.hash, m.size, {}};
            DIVISI_ASSIGN(manifest.chunks, wire::decode_chunks(payload));
            DIVISI_ASSIGN(const auto missing, port_.begin(manifest));
            return wire::encode_bitmap(missing, manifest.chunks.size());
        }
        case wire::BlobVerb::put: DIVISI_TRY(port_.put(m.hash, m.index, payload)); return std::string();
        case wire::BlobVerb::finish: DIVISI_TRY(port_.finish(m.hash)); return std::string();
        case wire::BlobVerb::get: return port_.get(m.hash, m.index);
        case wire::BlobVerb::select: {
            DIVISI_ASSIGN(const auto values, wire::decode_names(payload));
            DIVISI_ASSIGN(const std::string part, port_.select(m.hash, values));
            return wire::encode_hash(part);
        }
    }
    return make_error(error_text("unknown-blob-verb"), "blob transfer");
}

}  // namespace divisi::link
