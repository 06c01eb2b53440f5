// SPDX-License-Identifier: Apache-2.0
#include "backend/link/blob_client.h"

#include <algorithm>

#include "backend/link/error_texts.h"

namespace divisi::link {

using wire::BlobVerb;

BlobTransfer::BlobTransfer(Loop& loop, Transport& transport, Progress progress, Done done)
    : loop_(loop),
      progress_(std::move(progress)),
      done_(std::move(done)),
      patience_(loop),
      dialer_(loop, transport, Purpose::blob,
              {{},
               [this] { open(); },
               {},
               [this](const Parts& parts) { on_parts(parts); },
               [this] {
                   if (auto advanced = advance(); !advanced.ok()) finish(advanced);
               }}) {}

std::unique_ptr<BlobTransfer> BlobTransfer::upload(Loop& loop, Transport& transport, const Address& address,
                                                   Source source, Progress progress, Done done) {
    auto transfer =
        std::unique_ptr<BlobTransfer>(new BlobTransfer(loop, transport, std::move(progress), std::move(done)));
    transfer->manifest_ = source.manifest;
    transfer->source_ = std::move(source);
    transfer->heard_ = loop.now();
    transfer->watch();
    transfer->dialer_.dial(address);
    return transfer;
}

std::unique_ptr<BlobTransfer> BlobTransfer::download(Loop& loop, Transport& transport, const Address& address,
                                                     const std::string& hash, Target target, Progress progress,
                                                     Done done) {
    auto transfer =
        std::unique_ptr<BlobTransfer>(new BlobTransfer(loop, transport, std::move(progress), std::move(done)));
    transfer->manifest_.hash = hash;
    transfer->target_ = std::move(target);
    transfer->heard_ = loop.now();
    transfer->watch();
    transfer->dialer_.dial(address);
    return transfer;
}

void BlobTransfer::watch() {
    patience_.start(std::chrono::seconds(1), [this] {
        if (loop_.now() - heard_ <= patience()) return watch();
        const auto status = dialer_.status();
        Error late = make_error(error_text("blob-transfer-without-answer"), "blob transfer");
        if (status.last_error) late.what = status.last_error->what;
        finish(std::move(late));
    });
}

Duration BlobTransfer::patience() const {
    return blob_patience + std::chrono::seconds(manifest_.size / slowest_disk_bytes_per_s);
}

/// Starts on a new connection: asks which pieces are missing, and forgets pending questions.
void BlobTransfer::open() {
    ++round_;
    under_way_ = 0;
    wanted_.clear();
    finishing_ = false;
    described_ = false;
    const std::string chunks = source_ ? wire::encode_chunks(manifest_.chunks) : std::string();
    const BlobVerb verb = source_ ? BlobVerb::begin : BlobVerb::describe;
    if (auto asked = ask(verb, 0, chunks); !asked.ok()) finish(asked.error());
}

/// Asks the other side to select the wanted values from the snapshot. The other side reads the whole snapshot to select
/// them, so the timeout grows with the snapshot's size.
Result<void> BlobTransfer::select(Bytes snapshot) {
    manifest_.size = snapshot;
    if (auto asked = ask(BlobVerb::select, 0, wire::encode_names(target_->values)); !asked) return asked.error();
    return {};
}

/// Starts fetching the selected blob, whose hash is now known, or the whole snapshot.
Result<void> BlobTransfer::begin_with(const std::string& hash) {
    target_->values.clear();
    manifest_.hash = hash;
    if (auto asked = ask(BlobVerb::describe, 0, {}); !asked) return asked.error();
    return {};
}

/// Returns whether the other side may send an answer to this verb. The verbs begin, put and finish occur only in
/// uploads, and all other verbs only in downloads.
bool BlobTransfer::may_answer(BlobVerb verb) const {
    const bool takes = verb == BlobVerb::begin || verb == BlobVerb::put || verb == BlobVerb::finish;
    return takes == source_.has_value();
}

/// Sends a question to the other side; returns false if the socket accepts no more messages for now.
Result<bool> BlobTransfer::ask(BlobVerb verb, std::uint32_t index, std::string payload) {
    wire::BlobMessage message{verb, false, 0, round_, manifest_.hash, manifest_.size, index};
    DIVISI_ASSIGN(std::string header, wire::encode_blob(message));
    return dialer_.send({Part::of(std::move(header)), Part::of(std::move(payload))}) == Sent::yes;
}

void BlobTransfer::on_parts(const Parts& parts) {
    if (over_ || parts.size() != 2) return;
    const auto message = wire::decode_blob(parts[0].bytes);
    if (!message.ok()) return finish(message.error());
    if (!message->answer || message->correlation != round_ || message->hash != manifest_.hash) return;
    heard_ = loop_.now();
    if (!may_answer(message->verb))
        return finish(make_error(error_text("answer-to-what-was-not-asked"), "blob transfer"));
    if (message->status != 0 && message->verb == BlobVerb::select) {
        if (auto whole = begin_with(manifest_.hash); !whole) finish(whole);
        return;
    }
    if (message->status != 0) return finish(wire::decode_error(message->status, parts[1].bytes));
    if (auto taken = take(*message, parts[1].bytes); !taken.ok()) return finish(taken);
    if (over_) return;
    if (auto advanced = advance(); !advanced.ok()) finish(advanced);
}

Result<void> BlobTransfer::take(const wire::BlobMessage& message, std::span<const std::byte> payload) {
    std::vector<std::uint32_t> missing;
    switch (message.verb) {
        case BlobVerb::describe: {
            if (!target_->values.empty()) return select(message.size);
            manifest_.size = message.size;
            DIVISI_ASSIGN(manifest_.chunks, wire::decode_chunks(payload));
            DIVISI_ASSIGN(missing, target_->begin(manifest_));
            break;
        }
        case BlobVerb::begin: {
            DIVISI_ASSIGN(missing, wire::decode_bitmap(payload, manifest_.chunks.size()));
            break;
        }
        case BlobVerb::select: {
            DIVISI_ASSIGN(const std::string part, wire::decode_hash(payload));
            return begin_with(part);
        }
        case BlobVerb::finish: finish({}); return {};
        case BlobVerb::get: DIVISI_TRY(target_->write(message.index, payload)); [[fallthrough]];
        case BlobVerb::put:
            under_way_ -= std::min<std::size_t>(under_way_, 1);
            moved_ = std::min(manifest_.size, moved_ + blob_chunk_bytes);
            if (progress_) progress_(moved_, manifest_.size);
            return {};
    }
    described_ = true;
    wanted_.assign(missing.begin(), missing.end());
    moved_ = std::max<Bytes>(0, manifest_.size - static_cast<Bytes>(missing.size()) * blob_chunk_bytes);
    if (progress_) progress_(moved_, manifest_.size);
    return {};
}

Result<void> BlobTransfer::advance() {
    if (over_ || !described_) return {};
    while (!wanted_.empty() && under_way_ < blob_window) {
        std::string payload;
        if (source_) {
            DIVISI_ASSIGN(payload, source_->read(wanted_.front()));
        }
        const BlobVerb verb = source_ ? BlobVerb::put : BlobVerb::get;
        DIVISI_ASSIGN(const bool sent, ask(verb, wanted_.front(), std::move(payload)));
        if (!sent) return {};  // if the socket is full, `writable` follows; if it is down, `up` restarts the transfer
        wanted_.pop_front();
        ++under_way_;
    }
    if (!wanted_.empty() || under_way_ > 0 || finishing_) return {};
    if (target_) {
        finish({});
        return {};
    }
    DIVISI_ASSIGN(finishing_, ask(BlobVerb::finish, 0, {}));
    return {};
}

void BlobTransfer::finish(Result<void> result) {
    if (std::exchange(over_, true)) return;
    patience_.stop();
    dialer_.close();
    // `done_` is called from a timer, because it may destroy this object, which the caller of finish() still uses.
    patience_.start(Duration(0), [this, result = std::move(result)] {
        const Done done = std::move(done_);
        if (done) done(result);
    });
}

}  // namespace divisi::link
