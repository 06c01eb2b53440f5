// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/transfers.h"

#include <algorithm>
#include <memory>

#include "backend/link/blob_client.h"
#include "backend/link/zmq_transport.h"
#include "backend/submit/error_texts.h"

namespace divisi::submit {
namespace {

/// Interval at which a cancellation is checked; people do not notice shorter delays.
constexpr Duration cancel_interval = std::chrono::milliseconds(100);

/// The event loop of one call of upload() or fetch(), and the first error of that call.
struct TransferSession {
    TransferSession(const ClientIdentity& identity, const std::atomic<bool>& cancelled)
        : transport(identity.context, loop, identity.keys) {
        loop.every(cancel_interval, [this, &cancelled] {
            if (cancelled) fail(make_error(error_text("transfer-cancelled"), ""));
        });
    }
    void fail(Error reason) {
        if (!error) error = std::move(reason);
        loop.stop();
    }

    link::EventLoop loop;
    link::ZmqTransport transport;
    std::optional<Error> error;
};

/// Transfers the files of one node, one after the other.
class Lane {
public:
    Lane(TransferSession& session, const control::Upload& upload, const std::vector<store::BlobSource>& blobs,
         std::function<void()> changed)
        : session_(session), upload_(upload), changed_(std::move(changed)) {
        for (const std::string& hash : upload.hashes) {
            const auto found = std::find_if(blobs.begin(), blobs.end(),
                                            [&](const auto& blob) { return blob.manifest().hash == hash; });
            if (found == blobs.end()) {
                session_.fail(make_error(error_text("file-was-not-offered"), hash));
                return;
            }
            files_.push_back(&*found);
            report.bytes += found->manifest().size;
            ++report.files;
        }
    }

    void begin_next() {
        if (done()) return changed_();
        const store::BlobSource& file = *files_[next_];
        link::BlobTransfer::Source source{file.manifest(), [this, &file](std::uint32_t index) -> Result<std::string> {
                                              DIVISI_ASSIGN(std::string piece, file.read(index));
                                              report.sent += static_cast<Bytes>(piece.size());
                                              return piece;
                                          }};
        transfer_ = link::BlobTransfer::upload(
            session_.loop, session_.transport, {upload_.endpoint, upload_.key}, std::move(source),
            [this](Bytes moved, Bytes) {
                moved_ = moved;
                changed_();
            },
            [this, &file](const Result<void>& result) {
                if (!result.ok())
                    return session_.fail(about(
                        "uploading " + file.path().string() + " to " + upload_.node.value() + ":", result.error()));
                arrived_ += file.manifest().size;
                moved_ = 0;
                ++next_;
                session_.loop.post([this] { begin_next(); });
            });
    }
    bool done() const { return next_ == files_.size(); }
    Bytes present() const { return arrived_ + moved_; }

    UploadReport report;

private:
    TransferSession& session_;
    const control::Upload& upload_;
    std::function<void()> changed_;
    std::vector<const store::BlobSource*> files_;
    std::size_t next_ = 0;
    Bytes arrived_ = 0, moved_ = 0;
    std::unique_ptr<link::BlobTransfer> transfer_;
};

}  // namespace

Result<UploadReport> upload(const ClientIdentity& identity, const std::vector<control::Upload>& uploads,
                            const std::vector<store::BlobSource>& blobs, const std::atomic<bool>& cancelled,
                            const Progress& progress) {
    TransferSession session(identity, cancelled);
    std::vector<std::unique_ptr<Lane>> lanes;
    Bytes total = 0;
    const auto changed = [&] {
        Bytes present = 0;
        for (const auto& lane : lanes) present += lane->present();
        if (progress) progress(present, total);
        if (std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane->done(); })) session.loop.stop();
    };
    for (const control::Upload& one : uploads) {
        lanes.push_back(std::make_unique<Lane>(session, one, blobs, changed));
        total += lanes.back()->report.bytes;
    }
    if (session.error) return *session.error;
    for (const auto& lane : lanes) session.loop.post([&lane] { lane->begin_next(); });
    if (!lanes.empty()) session.loop.run();
    if (session.error) return *session.error;
    UploadReport report;
    for (const auto& lane : lanes) {
        report.files += lane->report.files;
        report.bytes += lane->report.bytes;
        report.sent += lane->report.sent;
    }
    return report;
}

Result<std::filesystem::path> fetch(const ClientIdentity& identity, const control::NodeInfo& node,
                                    const std::string& hash, store::BlobStore& store,
                                    const std::atomic<bool>& cancelled) {
    if (auto here = store.path_of(hash); here) return here;
    const std::string doing = "fetching " + hash.substr(0, 12) + "... from " + node.id.value() + ":";
    if (node.blob_endpoint.empty()) return about(doing, make_error(error_text("node-serves-no-files"), node.host));
    TransferSession session(identity, cancelled);
    std::optional<store::BlobWriter> writer;
    link::BlobTransfer::Target target;
    target.begin = [&](const BlobManifest& manifest) -> Result<std::vector<std::uint32_t>> {
        writer.reset();  // closes the partial file, so that begin() resumes it
        DIVISI_ASSIGN(writer, store.begin(manifest));
        return writer->missing();
    };
    target.write = [&](std::uint32_t index, std::span<const std::byte> bytes) { return writer->put(index, bytes); };
    const auto transfer =
        link::BlobTransfer::download(session.loop, session.transport, {node.blob_endpoint, node.blob_key}, hash,
                                     std::move(target), {}, [&](const Result<void>& result) {
                                         if (!result.ok()) return session.fail(about(doing, result.error()));
                                         session.loop.stop();
                                     });
    session.loop.run();
    if (session.error) return *session.error;
    return writer->finish();
}

}  // namespace divisi::submit
