// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include "backend/base/hash.h"
#include "tests/unit/data/files.h"

using namespace divisi;
using namespace divisi::data;

/// Files with a few bytes changed, cut or doubled: each is opened and read, or refused with a message that names
/// it. AddressSanitizer watches in CI.
class HostileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void images_data();
    void images();
    void tables();

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
        if (!data) {
            QVERIFY(!data.error().what.empty());
            return;
        }
        const auto batch = (*data)->microbatch(3, 0, 2);
        if (!batch) QVERIFY(!batch.error().where.empty());
    }
    Files files_;
};

void HostileTest::images_data() {
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

void HostileTest::images() {
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
    }
}

void HostileTest::tables() {
    const QByteArray good("a,b,y\n1,2,\"x\"\n-1.5e3,4,\"x, \"\"y\"\"\"\n5,6,z\n");
    DatasetSpec spec;
    spec.kind = "csv";
    spec.targets = {"y"};
    spec.batch = spec.rows = 2;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        spec.path = files_.write("t.csv", damage(good, seed));
        use(spec);
    }
}

QTEST_GUILESS_MAIN(HostileTest)
#include "hostile_test.moc"
