// SPDX-License-Identifier: Apache-2.0
#include <png.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "backend/base/hash.h"
#include "tests/support/test_program.h"
#include "tests/unit/data/files.h"

namespace hostile_test {

using namespace divisi;
using namespace divisi::data;

/// Opens files with a few bytes changed, cut or doubled. Each file is read, or refused with a message that names the
/// file. Runs with AddressSanitizer in CI.
class HostileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void damaged_images_are_read_or_refused_data();
    void damaged_images_are_read_or_refused();
    void damaged_tables_are_read_or_refused_data();
    void damaged_tables_are_read_or_refused();
    void pipes_sockets_folders_and_devices_are_refused();
    void broken_folders_are_refused();

private:
    static QByteArray damage(const QByteArray& good, std::uint64_t seed) {
        QByteArray bytes = good;
        auto draw = [&, count = 0](qsizetype below) mutable {
            return static_cast<qsizetype>(mix(seed, static_cast<std::uint64_t>(count++)) %
                                          static_cast<std::uint64_t>(below));
        };
        for (qsizetype i = draw(4) + 1; i > 0; --i) bytes[draw(bytes.size())] = static_cast<char>(draw(256));
        if (draw(4) == 0) bytes.truncate(draw(bytes.size()));
        if (draw(8) == 0) bytes += bytes;
        return bytes;
    }
    static void use(const DatasetSpec& spec) {
        const auto data = open_dataset(spec);
        if (!data) return check(data.error());
        const auto batch = (*data)->microbatch(3, 0, 2);
        if (!batch) check(batch.error());
    }
    /// Checks that the error says what, where and what to do next, in printable text.
    static void check(const Error& error) {
        const std::string message = error.message();
        QVERIFY2(!error.what.empty() && !error.where.empty() && !error.next.empty(), message.c_str());
        QCOMPARE(QString::fromStdString(message).toStdString(), message);
    }
    Files files_;
};

void HostileTest::damaged_images_are_read_or_refused_data() {
    QTest::addColumn<QByteArray>("good");
    QTest::addColumn<bool>("folder");
    QByteArray idx{"\0\0\x08\x03\0\0\0\4\0\0\0\2\0\0\0\2", 16};
    idx += QByteArray(16, '\x7f');
    QTest::newRow("idx") << idx << false;

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 8;
    image.format = PNG_FORMAT_RGB;
    QByteArray pixels(8 * 8 * 3, '\0');
    for (qsizetype i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i * 37);
    QByteArray png(4096, '\0');
    png_alloc_size_t size = static_cast<png_alloc_size_t>(png.size());
    QVERIFY(png_image_write_to_memory(&image, png.data(), &size, 0, pixels.constData(), 0, nullptr));
    png.truncate(static_cast<qsizetype>(size));
    QTest::newRow("png") << png << true;
}

void HostileTest::damaged_images_are_read_or_refused() {
    QFETCH(QByteArray, good);
    QFETCH(bool, folder);
    DatasetSpec spec;
    spec.kind = "images";
    spec.batch = spec.rows = 2;
    spec.path = files_.path(folder ? "p" : "i");
    if (!folder) spec.labels = files_.write("l", QByteArray("\0\0\x08\x01\0\0\0\4\0\1\2\3", 12));
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        files_.write(folder ? "p/class/1.png" : "i", damage(good, seed));
        use(spec);
        if (QTest::currentTestFailed()) return qWarning("failing seed: %llu", static_cast<unsigned long long>(seed));
    }
}

void HostileTest::damaged_tables_are_read_or_refused_data() {
    QTest::addColumn<QByteArray>("good");
    QTest::addColumn<bool>("values");
    QTest::newRow("names") << QByteArray("a,b,y\n1,2,\"x\"\n-1.5e3,4,\"x, \"\"y\"\"\"\n5,6,z\n") << false;
    QTest::newRow("numbers") << QByteArray("a,b,y\r\n1e3,-2,0\r\n1e-9,+4,1\r\n5,nan,2\r\n") << false;
    QTest::newRow("values") << QByteArray(
                                   "\xef\xbb\xbf"
                                   "a,y\n1e38,1e300\n-1e38,.5\n0,-0\n")
                            << true;
    QTest::newRow("UTF-16") << QByteArray(
                                   "\xff\xfe"
                                   "a\0,\0y\0\n\0"
                                   "1\0,\0"
                                   "2\0",
                                   16)
                            << false;
    QTest::newRow("other letters") << QByteArray("\xe9,\xc3\xa4,y\n1,2,\xe9\n3,4,\xc3\xa4\n5,6,\xf0\x9f\x8e\xbb\n")
                                   << false;
}

void HostileTest::damaged_tables_are_read_or_refused() {
    QFETCH(QByteArray, good);
    QFETCH(bool, values);
    DatasetSpec spec;
    spec.kind = "csv";
    spec.targets = {"y"};
    spec.batch = spec.rows = 2;
    if (values) spec.target_form = DatasetSpec::Targets::values;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        spec.classes = static_cast<std::int64_t>(seed % 4);
        spec.path = files_.write("t.csv", damage(good, seed));
        use(spec);
        if (QTest::currentTestFailed()) return qWarning("failing seed: %llu", static_cast<unsigned long long>(seed));
    }
}

/// Each path is refused by name and immediately; a pipe would otherwise wait for a writer forever.
void HostileTest::pipes_sockets_folders_and_devices_are_refused() {
    const std::string pipe = files_.path("pipe"), socket = files_.path("s"), folder = files_.path("folder");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(QDir().mkpath(QString::fromStdString(folder)));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    DatasetSpec spec;
    spec.input_shape = {4};
    spec.targets = {"y"};
    const std::pair<std::string, const char*> wrong[] = {{pipe, "is a pipe (FIFO), not a file"},
                                                         {socket, "is a socket, not a file"},
                                                         {folder, "is a folder, not a file"},
                                                         {"/dev/zero", "is a device, not a file"}};
    for (const auto& [path, message] : wrong) {
        for (const char* kind : {"csv", "text"}) {
            spec.kind = kind;
            spec.path = path;
            COMPARE_CONTAINS(refusal(spec), message);
            COMPARE_CONTAINS(refusal(spec), path.c_str());
        }
    }
    ::close(listener);
    spec.kind = "images";
    spec.path = spec.labels = pipe;
    COMPARE_CONTAINS(refusal(spec), "is a pipe (FIFO)");
    QVERIFY(QDir().mkpath(QString::fromStdString(files_.path("pictures/class"))));
    QCOMPARE(::mkfifo(files_.path("pictures/class/1.png").c_str(), 0600), 0);
    spec.path = files_.path("pictures");
    COMPARE_CONTAINS(refusal(spec), "pictures/class/1.png: is a pipe (FIFO)");
}

void HostileTest::broken_folders_are_refused() {
    DatasetSpec spec;
    spec.kind = "images";
    spec.path = files_.path("loops");
    QVERIFY(QDir().mkpath(QString::fromStdString(spec.path)));
    std::filesystem::create_symlink("circle", spec.path + "/circle");
    COMPARE_CONTAINS(refusal(spec), "loops/circle");
    std::filesystem::remove(spec.path + "/circle");
    std::filesystem::create_symlink("nowhere", spec.path + "/lost");
    COMPARE_CONTAINS(refusal(spec), "loops/lost");
}

DIVISI_TEST(HostileTest)

}  // namespace hostile_test

#include "hostile_test.moc"
